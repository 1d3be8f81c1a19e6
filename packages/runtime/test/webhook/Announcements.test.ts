import * as Stores from "@svc/runtime/database/Stores"
import * as AnnouncementSuite from "@svc/testing/suites/AnnouncementSuite"

AnnouncementSuite.suite("in memory", Stores.layerMemory)
