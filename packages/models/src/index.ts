export * as DemoEmbedder from "./DemoEmbedder.ts"
export * as Embedder from "./Embedder.ts"
export {
  defaultEmbedder,
  EmbedderCatalog,
  embedderNameProblem,
  embedderProblem,
  type EmbedderRef,
  type Options as EmbedderOptions
} from "./EmbedderCatalog.ts"
export * as Model from "./Model.ts"
export {
  defaultModel,
  ModelCatalog,
  modelProblem,
  type ModelRef,
  nameProblem,
  type Options as ModelOptions
} from "./ModelCatalog.ts"
export * as ModelSettings from "./ModelSettings.ts"
export { type Credentials, secretName, textName } from "./ProviderSettings.ts"
