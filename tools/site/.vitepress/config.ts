// The site over the pages that scripts/site.ts puts into pages/. The list in docs/README.md is the sidebar: GitHub and the site have one.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";

const pages = join(import.meta.dirname, "..", "pages");

/** `## Group` and `- [Title](page.md)` of the list of documents. */
function sidebar() {
  const groups: { text: string; items: { text: string; link: string }[] }[] = [];
  for (const line of readFileSync(join(pages, "index.md"), "utf8").split("\n")) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    const [, text, link] = /^- \[([^\]]+)\]\(([^)]+)\)/.exec(line) ?? [];
    if (heading !== undefined) groups.push({ text: heading, items: [] });
    else if (text !== undefined && link !== undefined)
      groups.at(-1)?.items.push({ text: text.replaceAll("`", ""), link: link.replace(/^\.\//, "/") });
  }
  return groups.filter(({ items }) => items.length > 0);
}

/** As GitHub makes it, so that one link works in both places. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");

// biome-ignore lint/style/noDefaultExport: VitePress wants it.
export default defineConfig({
  title: "pawl",
  description: "Drives coding agents through durable workflows that can only move forward",
  srcDir: "pages",
  outDir: "dist",
  lastUpdated: false,
  markdown: { anchor: { slugify: anchorOf } },
  // The index of the search.
  vite: { build: { chunkSizeWarningLimit: 3000 } },
  themeConfig: {
    sidebar: sidebar(),
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "Command line", link: "/cli" },
      { text: "pawl.yml", link: "/configuration" },
    ],
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: { miniSearch: { searchOptions: { combineWith: "AND", fuzzy: 0.1, prefix: true, boost: { title: 4, text: 2 } } } },
    },
  },
});
