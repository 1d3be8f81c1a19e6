// The cost of a request to a model: as the provider reports it, else by the price of the model. A model whose tokens
// have no price is logged once, because sums of cost leave them out.
import type * as Usage from "@svc-runtime/domain/Usage"
import type { Model } from "@svc-runtime/models/Model"
import { isLocal } from "@svc-runtime/models/ModelCatalog"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import * as Prices from "@svc-runtime/telemetry/Prices"
import { Effect } from "effect"
import { isRemoteModel } from "../../remote/RemoteModel.ts"

/** A remote agent is no model. */
const needsPrice = (model: Model): boolean => !isLocal(model) && !isRemoteModel(model)

const logUnpriced = ({ id, provider }: Model, gap: string | undefined) =>
  Effect.annotateLogs(
    Effect.logWarning(
      `Tokens of a model have no price, so sums of cost leave them out: ${gap}. MODEL_PRICES names a file with prices`
    ),
    { model: id, provider }
  )

/** Not every provider reports tokens: then the cost is not known. */
const hasTokens = ({ total_tokens = 0 }: Usage.Counters): boolean => total_tokens > 0

export const withCost = (usage: Usage.Counters, model: Model): Effect.Effect<Usage.Counters> =>
  usage.cost !== undefined || !hasTokens(usage) ? Effect.succeed(usage) : Effect.withFiber((fiber) => {
    const cost = Prices.costNow(fiber, model, usage)
    if (cost !== undefined) return Effect.succeed({ ...usage, cost })
    const isLogged = needsPrice(model) && fiber.getRef(Instruments).isFirstUnpriced(model)
    return isLogged ? Effect.as(logUnpriced(model, Prices.gapNow(fiber, model, usage)), usage) : Effect.succeed(usage)
  })
