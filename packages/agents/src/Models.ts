// The models that components name, so that users of the runtime need no dependency on the package of models.
export {
  type Credentials,
  defaultEmbedder,
  defaultModel,
  Embedder,
  EmbedderCatalog,
  embedderNameProblem,
  type EmbedderOptions,
  embedderProblem,
  type EmbedderRef,
  Model,
  ModelCatalog,
  type ModelOptions,
  modelProblem,
  type ModelRef,
  nameProblem as modelNameProblem,
  secretName,
  textName
} from "@svc-runtime/models"
