// The work that a button or a form starts. One piece runs at a time, the button is busy meanwhile, and a failure is shown.
import { useState } from 'react'
import { explain } from './api.ts'
import { notify } from './components/toasts.tsx'

type Task = () => Promise<unknown>

/** A task returns this if it leaves the page. The button then stays busy until the page is gone. */
export const leaving = Symbol('leaving')

export const complain = (failure: unknown): void => notify({ tone: 'error', text: explain(failure) })

/** `run` does nothing while another task runs. `doing` is the name of the task, for pages with several buttons. */
export function useWork(onFailure: (failure: unknown) => void = complain) {
  const [doing, setDoing] = useState<string>()
  async function start(task: Task, name: string) {
    setDoing(name)
    try {
      if ((await task()) === leaving) return
    } catch (failure) {
      onFailure(failure)
    }
    setDoing(undefined)
  }
  return {
    busy: doing !== undefined,
    doing,
    run(task: Task, name = 'work') {
      if (doing === undefined) void start(task, name)
    },
  }
}

/** For forms, which show the failure of the last attempt as `error`. */
export function useFormWork() {
  const [error, setError] = useState<string>()
  const work = useWork(failure => setError(explain(failure)))
  function run(task: Task, name?: string) {
    work.run(() => {
      setError(undefined)
      return task()
    }, name)
  }
  return { ...work, run, error, setError }
}
