// Clients of chats send messages, and the service knows those of before. A client that shows one message may have cut
// what was there, or have nothing but its new message. Only the client knows which.
import type { HttpServerRequest } from "effect/http"

const header = "x-messages"

/** Whether the client says that it always sends all messages that it shows. */
export const areAll = ({ headers }: HttpServerRequest.HttpServerRequest): boolean => headers[header] === "all"
