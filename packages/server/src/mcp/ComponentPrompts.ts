// Components as prompts of the MCP server: clients show prompts to their user as commands. A prompt asks the assistant
// to run the component with what the user wrote.
import { CurrentPrincipal } from "@svc-runtime/api"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Service from "@svc-runtime/domain/Service"
import { mayRun } from "@svc-runtime/http/authorization/RunnableComponent"
import { Context, Effect, Layer } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import * as ComponentResources from "./ComponentResources.ts"

const messageArgument = { name: "message", description: "What to ask", required: true }
const sessionArgument = { name: "session_id", description: "Continues an earlier conversation", required: false }

/** The id of an agent, and else also the kind: a name does not tell whether a component of another kind has its id. */
const nameOf = ({ id, kind }: ComponentResources.Registered): string =>
  kind === "agent" ? id : `${ComponentKind.descriptions[kind].resource}/${id}`

const named = (config: Service.Config) =>
  ComponentResources.registered(config).map((each) => ({ ...each, prompt: nameOf(each) }))

const textOf = (
  { id, kind, name = id }: ComponentResources.Registered,
  { message, session_id = "" }: { readonly message: string; readonly session_id?: string }
): string => {
  const given = { [`${kind}_id`]: id, message, ...(session_id === "" ? {} : { session_id }) }
  return `Run the ${kind} ${name} with the tool run_${kind}, and show its answer. The arguments are:\n\n` +
    JSON.stringify(given, undefined, 2)
}

export const layer = (config: Service.Config) => {
  const all = named(config)
  const byName = new Map(all.map((each) => [each.prompt, each]))
  // callers with an access token see all, because they can request more scopes
  const shown = McpServer.visibility(({ target }) =>
    CurrentPrincipal.useSync((principal) => {
      const found = byName.get(target)
      return found === undefined || principal.credential === "oauth" || mayRun(principal, found)
    })
  )
  return Layer.effectDiscard(Effect.gen(function*() {
    const server = yield* McpServer.McpServer
    const services = yield* Effect.context<never>()
    for (const component of all) {
      const { description, id, kind, name = id, prompt } = component
      yield* server.addPrompt({
        prompt: new McpSchema.Prompt({
          name: prompt,
          title: name,
          description: description ?? `Runs the ${kind} ${name}`,
          arguments: [messageArgument, sessionArgument]
        }),
        services,
        annotations: Context.empty(),
        completions: {},
        handle: ({ message, session_id }) =>
          message === undefined
            ? Effect.fail(new McpSchema.InvalidParams({ message: "The argument `message` is required" }))
            : Effect.succeed(
              new McpSchema.GetPromptResult({
                messages: [{
                  role: "user",
                  content: { type: "text", text: textOf(component, { message, session_id: session_id ?? "" }) }
                }]
              })
            )
      })
    }
  })).pipe(Layer.provide(shown.layer))
}
