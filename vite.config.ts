// The dashboard's page: src/web/ becomes dist/web/, which `pawl ui` serves. `npm run dev:web` serves the sources and passes the API on to
// a `pawl ui` that is running on the port in PAWL_UI_PORT.
import { join } from "node:path";
import { defineConfig } from "vite";

const port = process.env["PAWL_UI_PORT"] ?? "4400";

// biome-ignore lint/style/noDefaultExport: Vite reads the default export
export default defineConfig({
	root: join(import.meta.dirname, "src", "web"),
	oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
	build: {
		outDir: join(import.meta.dirname, "dist", "web"),
		emptyOutDir: true,
		target: "es2023",
		// An icon as a data: address would need an exception in the page's policy.
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		reportCompressedSize: false,
	},
	server: {
		host: "127.0.0.1",
		// `pawl ui` refuses any Host and Origin but its own.
		proxy: { "/api": { target: `http://127.0.0.1:${port}`, changeOrigin: true, headers: { origin: `http://127.0.0.1:${port}` } } },
	},
});
