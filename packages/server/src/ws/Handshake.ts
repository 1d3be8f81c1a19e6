// Checks the opening handshake of a WebSocket (RFC 6455 §4.2.1). The WebSocket library refuses a bad handshake in HTML,
// so this check comes first.
import type { HttpServerRequest } from "effect/http"

/** 16 bytes in base64. */
const key = /^[+/0-9A-Za-z]{22}==$/

const versions = ["13", "8"]

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

const isProtocolList = (header: string): boolean => {
  const names = header.split(",").map((name) => name.trim())
  return names.every((name) => token.test(name)) && new Set(names).size === names.length
}

/** Undefined: the handshake can be completed. */
export const problemOf = ({ headers }: HttpServerRequest.HttpServerRequest): string | undefined => {
  if (!key.test(headers["sec-websocket-key"] ?? "")) {
    return "The WebSocket handshake is invalid: Sec-WebSocket-Key must be 16 bytes in base64"
  }
  if (!versions.includes(headers["sec-websocket-version"] ?? "")) {
    return "The WebSocket handshake is invalid: Sec-WebSocket-Version must be 13"
  }
  const protocols = headers["sec-websocket-protocol"]
  return protocols === undefined || isProtocolList(protocols)
    ? undefined
    : "The WebSocket handshake is invalid: Sec-WebSocket-Protocol must list different protocols"
}
