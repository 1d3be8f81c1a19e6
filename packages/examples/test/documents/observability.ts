declare const stockOf: (product: string) => Promise<number>

// The block of docs/operate/observability.md.
// #region
import { Tool } from "@svc-runtime/server"
import { Effect, Schema } from "effect"

const stock = Tool.make({
  name: "stock",
  parameters: Schema.Struct({ product: Schema.String }),
  execute: ({ product }) =>
    Effect.promise(() => stockOf(product)).pipe(
      Effect.tap((count) => Effect.annotateCurrentSpan("shop.count", count)),
      Effect.withSpan("query stock", { attributes: { "shop.product": product } })
    )
})
// #endregion

export { stock }
