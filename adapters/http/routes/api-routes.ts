import type { AnyResource, Route } from '@horarium/core';
import { artifactRoutes } from './artifact-routes.ts';
import { eventSourceRoutes } from './event-source-routes.ts';
import { jobRoutes } from './job-routes.ts';
import { loginRoutes } from './login-routes.ts';
import { membershipRoutes } from './membership-routes.ts';
import { openApiRoutes } from './openapi-routes.ts';
import { ownPasswordRoutes } from './own-password-routes.ts';
import { resourceRoutes } from './resource-routes.ts';
import { roleRoutes } from './role-routes.ts';
import { mergeRoutes } from './route.ts';
import { otherRoutes } from './system-routes.ts';
import { forecastRoutes } from './task-routes.ts';

/** The whole API as one table: what follows from the resources, and the odd rows written by hand. */
export function apiRoutes(resources: readonly AnyResource[]): Route[] {
  const derived = resources.flatMap((resource) => resourceRoutes(resource));
  return mergeRoutes(derived, [
    ...jobRoutes,
    ...artifactRoutes,
    ...forecastRoutes,
    ...ownPasswordRoutes,
    ...roleRoutes,
    ...membershipRoutes,
    ...eventSourceRoutes,
    ...loginRoutes,
    ...otherRoutes,
    ...openApiRoutes,
  ]);
}
