// The version of the project, which is not the version of the API.
import manifest from "../../server/package.json" with { type: "json" }

export const version: string = manifest.version
