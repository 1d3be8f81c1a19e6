import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as AnnouncementSuite from "./AnnouncementSuite.ts"
import * as DeliveryStoreSuite from "./DeliveryStoreSuite.ts"
import * as WebhookStoreSuite from "./WebhookStoreSuite.ts"

everyStore(AnnouncementSuite.suite)
everyStore(DeliveryStoreSuite.suite)
everyStore(WebhookStoreSuite.suite)
