// The wire format of Google's Vertex AI with an API key: generateContent, under another path.
import * as GoogleGenerate from "./GoogleGenerate.ts"
import * as WireServer from "./WireServer.ts"

export const make = WireServer.make({ ...GoogleGenerate.format, provider: "vertex" }, "/v1/publishers/google")
