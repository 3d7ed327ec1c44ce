// What a container wrote, from the engine's own log of it: after a time, to its end or for as long as it runs.
import type { Engine } from './engine.ts'
import { type Frame, FrameReader, unixTime } from './frames.ts'

interface OutputRange {
  /** Of the last frame that is known, as the engine says it; empty for all. */
  after: string
  follow: boolean
}

/** As much at a time as the engine sends. */
export async function* readOutput(
  engine: Engine,
  id: string,
  { after, follow }: OutputRange,
  signal?: AbortSignal,
): AsyncGenerator<Frame[]> {
  const since = after ? `&since=${unixTime(after)}` : ''
  const path = `/containers/${id}/logs?follow=${follow ? 1 : 0}&stdout=1&stderr=1&timestamps=1${since}`
  const frames = new FrameReader()
  for await (const chunk of await engine.stream('GET', path, signal))
    yield frames.push(chunk as Buffer).filter(({ at }) => at > after)
}
