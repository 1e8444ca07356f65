// The page's start: the session, the stream, the keys, and the first drawing.
import { render } from "preact";
import { openSession } from "./api/session.ts";
import { App } from "./app.tsx";
import { listenToKeys } from "./keys.ts";
import { followLinks } from "./route.ts";
import { goLive } from "./state/live.ts";
import "./styles/base.css";
import "./styles/code.css";
import "./styles/parts.css";
import "./styles/screens.css";
import "./styles/pictures.css";
import "./styles/tables.css";

await openSession();
followLinks();
listenToKeys();
goLive();
const place = document.getElementById("app");
if (place) render(<App />, place);
