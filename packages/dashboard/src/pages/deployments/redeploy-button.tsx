// Builds the commit of a deployment once more, and shows the build.
import { useLocation } from 'wouter'
import { Button } from '../../components/button.tsx'
import { href } from '../../paths.ts'
import { leaving, useWork } from '../../use-work.ts'
import { rebuild } from '../builds/builds.ts'

export function RedeployButton({ project, build }: { project: string; build: string }) {
  const [, navigate] = useLocation()
  const { busy, run } = useWork()
  const redeploy = async () => {
    const { id } = await rebuild(project, build)
    navigate(href('/projects/:name/git/:build', { name: project, build: id }))
    return leaving
  }
  return (
    <Button
      size="small"
      busy={busy}
      data-tip="Builds the same commit again, with the variables of now"
      onClick={() => run(redeploy)}
    >
      Redeploy
    </Button>
  )
}
