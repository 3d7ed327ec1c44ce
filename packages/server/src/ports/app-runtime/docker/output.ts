// Reads the output of a container from the engine's log: from a given time on, once or for as long as the container runs.
import { setTimeout as sleep } from 'node:timers/promises'
import type { AppSpec } from '../port.ts'
import { type Engine, isMissing } from './engine.ts'
import { type Frame, FrameReader, nanosOf, unixTime } from './frames.ts'

/** The pause before a retry if the engine does not answer, such as while it restarts. */
const retryMs = 250
/** The pause before reading on from an app that writes faster than the log accepts. */
const pauseMs = 10

interface OutputRange {
  /** The time of the last known frame, in the engine's format. An empty string reads all. */
  after: string
  follow: boolean
}

/** Yields the frames of each chunk that the engine sends. `source` is `/containers/<id>` or `/tasks/<id>`. */
export async function* readOutput(
  engine: Engine,
  source: string,
  { after, follow }: OutputRange,
  signal?: AbortSignal,
): AsyncGenerator<Frame[]> {
  const since = after ? `&since=${unixTime(after)}` : ''
  const path = `${source}/logs?follow=${follow ? 1 : 0}&stdout=1&stderr=1&timestamps=1${since}`
  const frames = new FrameReader()
  for await (const chunk of await engine.stream('GET', path, signal))
    yield frames.push(chunk as Buffer).filter(({ at }) => at > after)
}

/** Passes the output of a container on, each line once. */
export class OutputReader {
  readonly #engine: Engine
  readonly #source: string
  readonly #output: AppSpec['output']
  readonly #reading = new AbortController()
  #following: Promise<void> | undefined
  /** The time of the last line that was passed on. */
  #last: string

  constructor(engine: Engine, source: string, output: AppSpec['output'], after = '') {
    this.#engine = engine
    this.#source = source
    this.#output = output
    this.#last = after
  }

  /** Follows the output until `finish` or `stop`. */
  follow(): void {
    this.#following ??= this.#follow()
  }

  /** Passes on what is left after the container has ended. Some engines end the followed log late, so reads it anew. */
  async finish(signal?: AbortSignal): Promise<void> {
    await this.stop()
    await this.#read(false, signal)
  }

  async stop(): Promise<void> {
    this.#reading.abort()
    await this.#following
  }

  /** Reconnects if the connection breaks. */
  async #follow(): Promise<void> {
    const { signal } = this.#reading
    while (!signal.aborted)
      try {
        await this.#read(true, signal)
      } catch (error) {
        if (isMissing(error)) return
      } finally {
        await sleep(retryMs, undefined, { signal }).catch(() => undefined)
      }
  }

  /** Passes on the output after the last line that was passed on. */
  async #read(follow: boolean, signal?: AbortSignal): Promise<void> {
    const range = { after: this.#last, follow }
    for await (const frames of readOutput(this.#engine, this.#source, range, signal)) {
      let isTooMuch = false
      for (const { stream, at, content } of frames) {
        this.#last = at
        if (!this.#output(stream, content, nanosOf(at))) isTooMuch = true
      }
      if (isTooMuch && follow) await sleep(pauseMs, undefined, { signal })
    }
  }
}
