// The notifications of a project.
import { useParams } from 'wouter'
import { ProjectLayout } from '../projects/project/project-layout.tsx'
import { Targets } from './targets.tsx'

export function NotificationsPage() {
  const { name = '' } = useParams<{ name: string }>()
  return (
    <ProjectLayout tab="Notifications">{() => <Targets owner={{ base: 'projects', name }} />}</ProjectLayout>
  )
}
