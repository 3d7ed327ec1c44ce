// The messages between svcd and the connector of an app.

/** A request for a connection to the app. */
export interface ToConnector {
  id: number
  port: number
}

/** The answer. The connection is attached to the message, unless there is an error. */
export interface FromConnector {
  id: number
  error?: string
}
