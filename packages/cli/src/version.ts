// The version of the tool, which is that of the project and not that of the API.
import manifest from "../package.json" with { type: "json" }

export const version: string = manifest.version
