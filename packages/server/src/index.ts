export {
  Agent,
  AgentFactory,
  Condition,
  DatabaseHandle,
  type FactoryContext,
  FactoryPermissionError,
  FactoryResolver,
  FactoryValidationError,
  Hook,
  JobKind,
  Loop,
  Parallel,
  Router,
  Step,
  type StepInput,
  StepResult,
  Steps,
  Team,
  TeamFactory,
  Tool,
  Workflow,
  WorkflowFactory
} from "@svc/runtime"
export * as Application from "./Application.ts"
export { Config, InvalidConfig } from "./Config.ts"
export * as HttpServer from "./HttpServer.ts"
export { run, serve } from "./serve.ts"
export { defaultLimits, ServerSettings, type Settings } from "./Settings.ts"
