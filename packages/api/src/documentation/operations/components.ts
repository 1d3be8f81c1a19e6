// The operations of stored components and of the registry.
import type { Operations } from "../Operation.ts"

export const components: Operations = {
  list_components: { summary: "List the stored components", description: "Returns stored components of all kinds." },
  create_component: {
    summary: "Create a component",
    description: "Stores a new agent, team or workflow with its first version.",
    body: { name: "Helper", component_type: "agent", config: { instructions: "Be brief." } }
  },
  get_component: { summary: "Get a stored component", description: "Returns one component, without its configs." },
  update_component: {
    summary: "Change a stored component",
    description: "Changes the name, the description, the metadata or the current version.",
    body: { description: "Answers questions about orders" }
  },
  delete_component: {
    summary: "Delete a stored component",
    description: "Removes the component and all of its versions. Its runs and sessions stay."
  },
  list_component_configs: {
    summary: "List the versions of a component",
    description: "Returns the versions, the newest first."
  },
  create_component_config: {
    summary: "Create a version",
    description: "Stores a new version of the config, as a draft or published.",
    body: { config: { instructions: "Be brief." } }
  },
  get_current_component_config: {
    summary: "Get the current version",
    description: "Returns the version that runs use when they name none."
  },
  get_component_config: { summary: "Get a version", description: "Returns one version with its config." },
  update_component_config: {
    summary: "Change a draft",
    description: "Changes a version that is a draft, or publishes it. A published version never changes.",
    body: { config: { instructions: "Be brief and polite." } }
  },
  delete_component_config: {
    summary: "Delete a version",
    description: "Removes a version. The current version cannot be removed."
  },
  set_current_component_config: {
    summary: "Make a version the current one",
    description: "Runs that start from now on use this version. With an older one, this is a rollback."
  },
  list_registry: {
    summary: "List what configs can name",
    description: "Returns the tools, models, schemas and functions of the program that configs can refer to by name."
  }
}
