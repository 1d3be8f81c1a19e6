// The names that service accounts can have, checked before a request.
import * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import { Schema } from "effect"

export const isAccountName = Schema.is(ServiceAccount.Name)

export const accountNameRule = "Expected 1 to 63 characters of a-z, 0-9, - and _, not beginning with - or _"
