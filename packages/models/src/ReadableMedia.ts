// Which images and documents models can read: the types, and the models that are known to read them. Of other models it
// is not known.

const types = ["image/png", "image/jpeg", "image/webp", "image/gif", "application/pdf"]

/** Whether a model could read a medium of this type. */
export const isReadable = (mediaType: string): boolean => types.includes(mediaType.split(";", 1)[0] ?? "")

const ascii = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to))

const signatures: ReadonlyArray<readonly [type: string, is: (bytes: Uint8Array) => boolean]> = [
  ["image/png", (bytes) => ascii(bytes, 0, 4) === "\u0089PNG"],
  ["image/jpeg", (bytes) => ascii(bytes, 0, 3) === "\u00ff\u00d8\u00ff"],
  ["image/gif", (bytes) => ascii(bytes, 0, 4) === "GIF8"],
  ["image/webp", (bytes) => ascii(bytes, 0, 4) === "RIFF" && ascii(bytes, 8, 12) === "WEBP"],
  ["application/pdf", (bytes) => ascii(bytes, 0, 5) === "%PDF-"]
]

/** The type of the bytes. Undefined: models cannot read them. */
export const typeOf = (bytes: Uint8Array): string | undefined => signatures.find(([, is]) => is(bytes))?.[0]

interface Family {
  /** Of the id of the model. */
  readonly id: RegExp
  /** Of the name of the provider. Left out: any. */
  readonly documents?: RegExp
  readonly hasNoGif?: boolean
}

const families: ReadonlyArray<Family> = [
  { id: /claude-(3|4|5|opus|sonnet|haiku|fable|mythos)/, documents: /anthropic|bedrock/ },
  { id: /gemini-(1\.5|[2-9]|flash|pro)/, documents: /^google/, hasNoGif: true },
  {
    id: /(^|\/)(chatgpt-4o|gpt-4o|gpt-4\.[15]|gpt-4-turbo|gpt-[5-9]|o[134](?!-mini)|o4-mini)/,
    documents: /^(openai|azure)[.-]/
  },
  {
    id:
      /(^|[-_/:.])(vl|vision|llava|pixtral|moondream|internvl|minicpm-v)|qwen[\d.]*-?vl|gemma-?3|llama-?4|grok-4|nova-(lite|pro|premier)/
  }
]

/** Whether the model is known to read media of a type. */
export const readsOf = (provider: string, modelId: string): (mediaType: string) => boolean => {
  const family = families.find(({ id }) => id.test(modelId.toLowerCase()))
  return (mediaType) => {
    if (family === undefined || !types.includes(mediaType)) return false
    if (mediaType === "application/pdf") return family.documents?.test(provider) === true
    return mediaType !== "image/gif" || family.hasNoGif !== true
  }
}
