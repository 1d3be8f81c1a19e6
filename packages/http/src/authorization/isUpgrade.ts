// Whether a request is the opening handshake of a WebSocket (RFC 6455 §4.1).
import type { HttpServerRequest } from "effect/http"

export const isUpgrade = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["upgrade"]?.toLowerCase() === "websocket"
