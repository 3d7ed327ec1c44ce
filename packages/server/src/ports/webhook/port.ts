// Sends a notification to a URL that a customer has chosen.
export interface WebhookRequest {
  url: string
  headers: Record<string, string>
  body: string
}

/** `answer` is the beginning of the body. Rejects, in plain words, if there is no answer. */
export type SendWebhook = (
  request: WebhookRequest,
  signal: AbortSignal,
) => Promise<{ status: number; answer: string }>
