/** Timeouts of requests to apps, in milliseconds. */
export interface AppTimeouts {
  /** For establishing the connection. */
  connect?: number
  /** From the end of the request to the start of the answer. */
  answer: number
  /** Between two parts of an answer. */
  idle: number
}
