# pawl with git and an agent, as a user without rights: docs/container.md. No test builds it, since no container engine runs where they do; test/docs/compose.test.ts reads it.
FROM node:24-bookworm-slim AS build
WORKDIR /pawl
COPY package.json package-lock.json ./
COPY tools/node tools/node
RUN npm ci --ignore-scripts
COPY . .
RUN npm pack --pack-destination /tmp

FROM node:24-bookworm-slim
# npm packages of the agents that it shall have.
ARG AGENTS="@anthropic-ai/claude-code"
RUN apt-get update \
	&& apt-get install -y --no-install-recommends bubblewrap ca-certificates git openssh-client \
	&& rm -rf /var/lib/apt/lists/*
COPY --from=build /tmp/pawl-*.tgz /tmp/
RUN npm install --global /tmp/pawl-*.tgz $AGENTS && rm /tmp/pawl-*.tgz
# What your checks need comes here.
RUN git config --system user.name "pawl" && git config --system user.email "pawl@pawl.invalid"
USER node
WORKDIR /home/node
ENTRYPOINT ["pawl"]
