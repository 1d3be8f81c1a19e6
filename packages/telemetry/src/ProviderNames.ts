// The names of providers of models. A provider has one for people, one in references to models, several in the AI SDK
// (`openai.responses`), and one in each convention for spans.

/** The values of a span. */
export interface Names {
  /** `gen_ai.provider.name` */
  readonly genAi: string
  /** `llm.provider` of OpenInference */
  readonly openInference: string
}

/** Where the names differ: the value of each convention, and the other names in lower case. */
const table: ReadonlyArray<readonly [genAi: string, openInference: string, ...others: ReadonlyArray<string>]> = [
  ["gcp.gemini", "google", "google", "gemini", "google.generative-ai"],
  [
    "gcp.vertex_ai",
    "google",
    "vertex",
    "google vertex ai",
    "google-vertex",
    "google.vertex",
    "googlevertex",
    "vertex.maas",
    "vertex.anthropic",
    "googlevertex.anthropic",
    "googlevertex.xai"
  ],
  ["gcp.gen_ai", "google"],
  ["aws.bedrock", "aws", "aws bedrock", "bedrock", "amazon-bedrock", "bedrock.anthropic", "bedrock-mantle"],
  ["azure.ai.openai", "azure", "azure", "azure openai", "azure.deepseek"],
  ["azure.ai.inference", "azure"],
  ["ibm.watsonx.ai", "ibm", "watsonx"],
  ["mistral_ai", "mistralai", "mistral", "mistral ai"],
  ["x_ai", "xai", "xai"],
  ["moonshot_ai", "moonshot", "moonshotai", "moonshot ai"],
  // The GenAI conventions have no value for these.
  ["together_ai", "together", "togetherai", "together ai"],
  ["huggingface", "huggingface", "hugging face"],
  ["vercel_ai_gateway", "vercel_ai_gateway", "gateway", "vercel ai gateway"]
]

const known: ReadonlyMap<string, Names> = new Map(
  table.flatMap(([genAi, openInference, ...others]) =>
    [genAi, ...others].map((name) => [name, { genAi, openInference }] as const)
  )
)

/** What the AI SDK adds to the name of a provider: the API that a model uses. */
const api = /(?<=.)\.(?:chat|completion|conversation|embeddings?|interactions|messages|responses|textembedding)$/

const named = (name: string): Names => known.get(name) ?? { genAi: name, openInference: name }

/** A name that is not known is its own value, in lower case. */
export const of = (provider: string): Names => named(provider.toLowerCase().replace(api, ""))

/** Whether a listed name means the provider of a model. With an API of the AI SDK it means that API only. */
export const isSame = (listed: string, provider: string): boolean => {
  const name = listed.toLowerCase()
  return name === provider.toLowerCase() || named(name).genAi === of(provider).genAi
}
