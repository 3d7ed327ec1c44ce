// Reads what was dropped: unpacks an archive, and plans what would be deployed.
import { useEffect, useState } from 'react'
import { explain } from '../api.ts'
import type { Collection } from '../upload/collect.ts'
import { onlyFolder, type Plan, planFor } from './plan.ts'
import { unzip, zipIn } from './zip.ts'

type Reading = { state: 'reading' } | { state: 'refused'; why: string } | { state: 'read'; plan: Plan }

async function read(collecting: Promise<Collection>, within: string | undefined): Promise<Plan> {
  const dropped = await collecting
  const archive = zipIn(dropped)
  const all = archive ? await unzip(archive) : dropped
  return await planFor(within === undefined ? all : onlyFolder(all, within))
}

/** The plan for a drop, or for one folder of it. */
export function useReading(collecting: Promise<Collection>, within: string | undefined): Reading {
  const [reading, setReading] = useState<Reading>({ state: 'reading' })
  useEffect(() => {
    let isCurrent = true
    const settle = (outcome: Reading) => isCurrent && setReading(outcome)
    read(collecting, within).then(
      plan => settle({ state: 'read', plan }),
      error => settle({ state: 'refused', why: explain(error) }),
    )
    return () => {
      isCurrent = false
    }
  }, [collecting, within])
  return reading
}
