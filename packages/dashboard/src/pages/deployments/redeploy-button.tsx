// Builds the commit of a deployment once more, and shows the build.
import { useState } from 'react'
import { useLocation } from 'wouter'
import { explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { notify } from '../../components/toasts.tsx'
import { href } from '../../paths.ts'
import { rebuild } from '../builds/builds.ts'

export function RedeployButton({ project, build }: { project: string; build: string }) {
  const [, navigate] = useLocation()
  const [busy, setBusy] = useState(false)
  const redeploy = async () => {
    setBusy(true)
    try {
      const { id } = await rebuild(project, build)
      navigate(href('/projects/:name/git/:build', { name: project, build: id }))
    } catch (error) {
      notify({ tone: 'error', text: explain(error) })
      setBusy(false)
    }
  }
  return (
    <Button
      size="small"
      busy={busy}
      data-tip="Builds the same commit again, with the variables of now"
      onClick={() => void redeploy()}
    >
      Redeploy
    </Button>
  )
}
