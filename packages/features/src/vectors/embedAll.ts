// Asks an embedder for the vectors of texts, in a span.
import type { Embedder } from "@svc-runtime/agents/Models"
import * as OperationSpan from "@svc-runtime/telemetry/OperationSpan"

export const embedAll = (embedder: Embedder.Embedder, texts: ReadonlyArray<string>) =>
  OperationSpan.embeddings(embedder.embedMany(texts), embedder, texts.length)
