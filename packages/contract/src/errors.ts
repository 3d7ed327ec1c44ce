// Every error code of the API with its HTTP status. A code that is not here cannot be answered.
export const errors = {
  invalid_request: {
    status: 400,
    meaning: 'The body or a parameter breaks a rule; the message names the field.',
  },
  invalid_archive: {
    status: 400,
    meaning: 'The archive is not a sound gzipped tarball, or an entry path is unsafe.',
  },
  invalid_name: { status: 400, meaning: 'The project or org name breaks the naming rules.' },
  reserved_name: { status: 400, meaning: 'The name belongs to the platform.' },
  invalid_domain: { status: 400, meaning: 'The domain is not a hostname that can be attached.' },
  invalid_branch: { status: 400, meaning: 'The production branch cannot be the branch of a domain.' },
  not_a_server: { status: 400, meaning: 'Logs were asked for a static-only deployment.' },
  vat_number_not_found: { status: 400, meaning: 'The EU VAT registry does not know the VAT number.' },
  authorization_pending: { status: 400, meaning: 'The device login still waits for approval.' },
  expired_token: { status: 400, meaning: 'The device code expired, was used, or never existed.' },
  unauthorized: { status: 401, meaning: 'The token is missing, invalid, revoked or of the wrong kind.' },
  quota_exceeded: { status: 402, meaning: 'A limit of the plan or of the account is reached.' },
  payment_failed: { status: 402, meaning: 'The payment provider declined the charge.' },
  forbidden: { status: 403, meaning: 'The role in the org, or the instance, does not allow this.' },
  suspended: {
    status: 403,
    meaning: 'The operator has suspended the project or the account; the message says why.',
  },
  access_denied: { status: 403, meaning: 'The device login was denied.' },
  not_found: {
    status: 404,
    meaning: 'Unknown path, or a resource that is unknown or invisible to the caller.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The URL of a deploy hook takes POST alone, so that link previews build nothing.',
  },
  name_taken: { status: 409, meaning: 'The name is in use.' },
  domain_taken: {
    status: 409,
    meaning:
      'Another project holds the domain, or its former owner may still attach it; `proof` is the DNS record that moves it to you.',
  },
  not_activatable: { status: 409, meaning: 'Only live or superseded deployments can be activated.' },
  deployment_live: { status: 409, meaning: 'The active deployment cannot be deleted.' },
  deployment_pinned: { status: 409, meaning: 'A branch domain pins the deployment.' },
  org_not_empty: { status: 409, meaning: 'The org still has projects.' },
  subscription_active: {
    status: 409,
    meaning: 'The plan is active: an org with one cannot be deleted, nor can it be bought twice.',
  },
  no_subscription: { status: 409, meaning: 'There is no paid plan that this could act on.' },
  payment_pending: { status: 409, meaning: 'A payment for the plan is under way, or overdue.' },
  last_owner: { status: 409, meaning: 'An org keeps at least one owner.' },
  last_admin: { status: 409, meaning: 'The platform keeps at least one admin that can sign in.' },
  shared_elsewhere: { status: 409, meaning: 'Another org holds the installation.' },
  already_member: { status: 409, meaning: 'The caller is in the org already.' },
  owner_changed: { status: 409, meaning: 'The project got another owner meanwhile.' },
  access_mode_conflict: { status: 409, meaning: 'The access mode `org` needs an owning org.' },
  run_under_way: {
    status: 409,
    meaning:
      'The scheduled job, background job or command is running at the moment, or the app has the disk.',
  },
  repository_in_use: { status: 409, meaning: 'A project builds from the repository.' },
  build_finished: { status: 409, meaning: 'The build has ended already.' },
  not_buildable: {
    status: 409,
    meaning:
      'There is nothing to build: the branch of a deploy hook is gone, or the project may not use its repository any more.',
  },
  files_missing: {
    status: 409,
    meaning: 'The upload leaves out files that the platform does not have (any more). Send them.',
  },
  payload_too_large: { status: 413, meaning: 'The body, a file or the extracted total is over its limit.' },
  unsupported_media_type: { status: 415, meaning: 'The content type is not one the endpoint takes.' },
  deployment_failed: {
    status: 422,
    meaning: 'The server app did not come up; the previous deployment stays live.',
  },
  not_readable: { status: 422, meaning: 'PostgreSQL does not read the table or view; the message says why.' },
  slow_down: { status: 429, meaning: 'The device login is polled too fast.' },
  rate_limit_exceeded: { status: 429, meaning: 'Too many requests; Retry-After says when to go on.' },
  internal: { status: 500, meaning: 'An unexpected problem of the server.' },
  not_implemented: { status: 501, meaning: 'A site was asked with a method that this server does not know.' },
  cdn_error: { status: 502, meaning: 'The query of the CDN log failed.' },
  stats_unavailable: { status: 503, meaning: 'There is no CDN log source.' },
  vat_registry_unavailable: {
    status: 503,
    meaning: 'The EU VAT registry does not answer; nothing was stored.',
  },
  payment_unavailable: {
    status: 503,
    meaning:
      'The payment provider does not answer, or refuses the calls of this platform; the message says which.',
  },
  unavailable: { status: 503, meaning: 'The platform is shutting down or overloaded; try again shortly.' },
  insufficient_storage: {
    status: 507,
    meaning: "The server's disk is almost full: uploads are refused, and sites are served on.",
  },
} as const satisfies Record<string, { status: number; meaning: string }>

export type ErrorCode = keyof typeof errors

/** The envelope of every error answer. */
export interface ErrorBody {
  error: {
    code: ErrorCode
    message: string
    /** Names the request in the server's log; also in the header `X-Svc-Request-Id`. */
    request_id?: string
    /** With `domain_taken`: the DNS record that proves that the domain is yours. */
    proof?: { type: 'TXT'; name: string; value: string }
  }
}
