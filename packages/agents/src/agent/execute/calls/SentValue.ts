// What a client sends to a function that waits for it.
import * as Json from "@svc-runtime/domain/Json"
import { Option } from "effect"

/** Its name among the values of a person. */
export const field = "result"

/** A client sends it as a text. It is what the text stands for, unless a text is wanted. */
export const of = (schema: Json.Object | undefined, sent: Json.Value): Json.Value =>
  typeof sent !== "string" || schema?.["type"] === "string" ? sent : Option.getOrElse(Json.parseInput(sent), () => sent)
