// The key under which the limits of one caller are counted: the user, or the address.
import { CurrentPrincipal } from "@svc-runtime/api"
import type * as Principal from "@svc-runtime/domain/Principal"
import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Before authentication. */
export const ofAddress = (address: string | undefined): string => `address ${address ?? "unknown"}`

export const ofPrincipal = ({ user_id }: Principal.Principal, address: string | undefined): string =>
  user_id === undefined ? ofAddress(address) : `user ${user_id}`

export const ofRequest = ({ remoteAddress }: Pick<HttpServerRequest.HttpServerRequest, "remoteAddress">) =>
  CurrentPrincipal.useSync((principal) => ofPrincipal(principal, Option.getOrUndefined(remoteAddress)))
