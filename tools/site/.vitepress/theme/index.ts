import Theme from "vitepress/theme-without-fonts";
import "./site.css";

// biome-ignore lint/style/noDefaultExport: VitePress wants it.
export default Theme;
