/** Timeouts of requests to apps, in milliseconds. */
export interface AppTimeouts {
  /** For establishing the connection. */
  connect?: number
  /** From the end of the request to the start of the answer. */
  answer: number
  /** Between two parts of an answer. */
  idle: number
  /**
   * How long an idle connection may be reused. Common servers close idle connections after two seconds or more. The default is
   * shorter, so that the app does not close a connection while a request is being sent.
   */
  reuse?: number
}

export const defaultReuseMs = 1_500
