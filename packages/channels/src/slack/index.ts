// Slack, as authors import it.
export { adapter, make, secrets, type SlackSettings } from "./Slack.ts"
export { manifest, type ManifestOptions } from "./SlackManifest.ts"
