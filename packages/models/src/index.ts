export * as Model from "./Model.ts"
export { defaultModel, ModelCatalog, type ModelRef, type Options as ModelOptions } from "./ModelCatalog.ts"
