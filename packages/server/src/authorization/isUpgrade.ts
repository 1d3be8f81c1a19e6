// Whether a request asks to become a WebSocket (RFC 6455 §4.1).
import type { HttpServerRequest } from "effect/http"

export const isUpgrade = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["upgrade"]?.toLowerCase() === "websocket"
