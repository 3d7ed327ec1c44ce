// What svcd and the connector of an app say to each other.

/** A request for a connection to the app. */
export interface ToConnector {
  id: number
  port: number
}

/** The connection comes with the message, unless there is an error. */
export interface FromConnector {
  id: number
  error?: string
}
