// Passes requests to apps, and their answers to streams.
import type { Peer } from '../../../lib/received.ts'
import { AppRequest } from '../apps/app-request.ts'
import { RepeatedAnswerHead } from '../apps/repeated-answer-head.ts'
import type { AppLaneSource, BegunByLane, SendingBody } from '../sources.ts'
import { AppStream } from './app-stream.ts'
import { HeldBytes } from './held-bytes.ts'
import type { LaneRequest } from './request.ts'

/** What has come of a request's body, and how many bytes of it follow. */
interface SentBody {
  bytes: Buffer
  leftBytes: number
}

type OnHandOver = (begun: BegunByLane, sending: SendingBody | undefined) => void

export class AppAnswers {
  readonly #apps: AppLaneSource
  readonly #peer: Peer
  readonly #repeated = new RepeatedAnswerHead()
  readonly #held = new HeldBytes()

  constructor(apps: AppLaneSource, peer: Peer) {
    this.#apps = apps
    this.#peer = peer
  }

  /**
   * Sends the request to its app, and returns the stream that receives the answer. `onHandOver` is called in place of that if the
   * ordinary way has to finish the request. Returns `undefined` if node:http2 has to answer it.
   */
  pass(request: LaneRequest, { bytes, leftBytes }: SentBody, onHandOver: OnHandOver): AppStream | undefined {
    const head = request.headForApp(bytes.length + leftBytes)
    const target = this.#apps.find(head, this.#peer)
    if (target === undefined) return undefined
    const stream = new AppStream(this.#held)
    stream.request = new AppRequest(target, {
      client: stream,
      isHead: head.method === 'HEAD',
      repeated: this.#repeated,
      onAnswered: answer => this.#apps.count(target, head, answer, this.#peer),
      onHandOver,
    })
    stream.request.send(bytes, leftBytes)
    return stream
  }
}
