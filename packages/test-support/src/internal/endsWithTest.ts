// Loaded into a service that a test starts: the pipe ends with the process of the test, the service with the pipe.
import { Socket } from "node:net"

// a worker of the service ends with the service, and its descriptor is for messages
if (process.send === undefined) {
  new Socket({ fd: 3 }).on("error", () => {}).once("close", () => process.kill(process.pid, "SIGKILL")).resume().unref()
}
