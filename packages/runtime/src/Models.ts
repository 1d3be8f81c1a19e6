// The models that components name. Who uses the runtime needs no dependency on the package of models.
export {
  defaultModel,
  Model,
  ModelCatalog,
  type ModelOptions,
  type ModelRef,
  nameProblem as modelNameProblem
} from "@svc/models"
