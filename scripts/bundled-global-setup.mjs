// Bundles the quickstart once, before tests start it from several workers.
export { bundle as default } from "./bundled.mjs"
