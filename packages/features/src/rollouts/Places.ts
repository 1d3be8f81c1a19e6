// Which of the places of a rollout a session or a user has.
import { createHash } from "node:crypto"
import * as Shares from "./Shares.ts"

/** The same on each node and after each restart. It differs in each rollout. */
export const placeOf = (rollout: string, key: string): number =>
  createHash("sha256").update(`${rollout} ${key}`).digest().readUInt32BE(0) % Shares.places
