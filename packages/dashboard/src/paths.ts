// The paths of the dashboard's pages, and typed links to them. They stand apart from routes.ts, which imports the pages: a page
// may link to any other.

/** Who sees a page: everyone, people who are not signed in, or signed-in accounts. */
export type Audience = keyof Paths

export interface Paths {
  members:
    | '/'
    | '/projects/:name'
    | '/projects/:name/deployments'
    | '/projects/:name/deployments/:deployment'
    | '/projects/:name/deployments/:deployment/:view'
    | '/projects/:name/git'
    | '/projects/:name/git/:build'
    | '/projects/:name/analytics'
    | '/projects/:name/metrics'
    | '/projects/:name/domains'
    | '/projects/:name/environment'
    | '/projects/:name/crons'
    | '/projects/:name/notifications'
    | '/projects/:name/forms'
    | '/projects/:name/forms/:form'
    | '/projects/:name/logs'
    | '/projects/:name/logs/:view'
    | '/projects/:name/access'
    | '/projects/:name/activity'
    | '/projects/:name/settings'
    | '/projects/:name/storage'
    | '/projects/:name/tables'
    | '/repositories'
    | '/shares'
    | '/access'
    | '/orgs/new'
    | '/orgs/:name'
    | '/orgs/:name/projects'
    | '/orgs/:name/members'
    | '/orgs/:name/tokens'
    | '/orgs/:name/ai'
    | '/orgs/:name/billing'
    | '/orgs/:name/audit'
    | '/orgs/:name/settings'
    | '/account'
    | '/confirm-email/:token'
    | '/account/security'
    | '/ai'
    | '/billing'
    | '/tokens'
    | '/admin'
    | '/admin/metrics'
    | '/admin/users'
    | '/admin/suspensions'
    | '/admin/builds'
    | '/admin/jobs'
    | '/admin/settings'
    | '/admin/settings/github'
    | '/admin/certificates'
    | '/admin/invoices'
    | '/device'
  visitors: '/signin' | '/signup' | '/forgot-password'
  all: '/invites/:token' | '/join/:token' | '/setup' | '/reset-password'
}

type Path = Paths[Audience]

/** The parameters in a path: `/projects/:name` has `name`. */
type Parameters<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Parameters<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Name
    : never

/** The paths with this one parameter, such as those of the tabs of a project. */
export type PathWith<Name extends string> = {
  [P in Path]: [Parameters<P>] extends [Name] ? ([Name] extends [Parameters<P>] ? P : never) : never
}[Path]

type Arguments<P extends Path> = [Parameters<P>] extends [never]
  ? []
  : [values: Record<Parameters<P>, string>]

/** `href('/projects/:name/git/:build', { name, build })`. A path that no page has does not compile. */
export function href<P extends Path>(path: P, ...[values]: Arguments<P>): string {
  return path.replace(/:([a-z]+)/g, (_, name: string) =>
    encodeURIComponent((values as Record<string, string>)[name] ?? ''),
  )
}
