// Knowledge: the contents that agents search. An isolated caller reads its own contents and those without an owner.
import { Api, Errors } from "@svc/api"
import { type Choice, KnowledgeRegistry } from "@svc/runtime/knowledge/KnowledgeRegistry"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const chooseFrom = (registry: KnowledgeRegistry["Service"]) => (choice: Choice) =>
  registry.choose(choice).pipe(
    Effect.catchTags({
      KnowledgeNotFound: (error) => Effect.fail(Errors.notFound(error.message)),
      KnowledgeNotChosen: (error) => Effect.fail(Errors.badRequest(error.message))
    })
  )

export const Knowledge = HttpApiBuilder.group(
  Api,
  "knowledge",
  Effect.fnUntraced(function*(handlers) {
    const choose = chooseFrom(yield* KnowledgeRegistry)

    return handlers.handleAll({
      listSources: Effect.fn("Knowledge.listSources")(function*({ params }) {
        yield* choose(params)
        return []
      }),
      listFiles: Effect.fn("Knowledge.listFiles")(function*({ params }) {
        yield* choose(params)
        return yield* Errors.notFound(`Content source not found: ${params.source_id}`)
      })
    })
  })
)
