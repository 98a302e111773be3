import type { Service } from './service.ts';

/** Creates a template that runs `true` in a native job, on request and as often as requested. @returns its id. */
export async function createShellTemplate(service: Service, code = 'bench'): Promise<number> {
  const app = await service.request('POST', '/app/', { name: code, executable: 'true' });
  const company = await service.request('POST', '/company/', { code, name: code });
  const template = { app_id: app['id'], company_id: company['id'], interval: 'none', overlap: 'allow' };
  return (await service.request('POST', '/runtemplate/', { name: code, ...template }))['id'] as number;
}
