import { expect } from 'chai';
import { readHandbook } from '../../../plugins/docs/pages/handbook.ts';
import { readHtml } from '../../support/formats/read-html.ts';
import { EmbeddedApi } from '../../support/http/embedded-api.ts';
import { HttpService } from '../../support/http/http-service.ts';

const { pages } = await readHandbook();

describe('The handbook as pages', () => {
  const service = new HttpService({});
  before(() => service.start());
  after(() => service.stop());

  const get = async (path: string) => {
    const { status, text, headers } = await service.request(`/${path}`);
    return { status, text, headers, page: readHtml(text) };
  };
  const linksOf = (page: ReturnType<typeof readHtml>) => page.all('a').map(({ attributes }) => attributes['href']);

  it('has the contents at /docs, which lead to every page', async () => {
    const { page } = await get('/docs');
    expect(page.errors).to.deep.equal([]);
    expect(linksOf(page)).to.include.members([...pages.map(({ path }) => `/docs/${path}`), '/docs/api']);
  });

  it('shows each page without a script or anything from elsewhere, with links that stay in the handbook', async () => {
    const { headers } = await get('/docs');
    expect(headers['content-security-policy']).to.match(
      /^default-src 'none'; style-src 'sha256-[^']+'; .*form-action 'self'/,
    );
    for (const { path } of pages) {
      const { status, text, page } = await get(`/docs/${path}`);
      expect([path, status, page.errors]).to.deep.equal([path, 200, []]);
      expect(text, path).to.not.match(/<script|<img|<link|@import|url\(|\.md["#]/);
      expect(page.all('h1'), path).to.have.length(1);
      const current = page.all('a').filter(({ attributes }) => attributes['aria-current'] === 'page');
      expect(current.map(({ attributes }) => attributes['href'])).to.deep.equal([`/docs/${path}`]);
    }
  });

  it('gives headings the anchors that links name', async () => {
    const { page } = await get('/docs/reference/exit-codes');
    expect(page.all('h2').flatMap(({ attributes }) => attributes['id'] ?? [])).to.deep.equal(['commands', 'jobs']);
  });

  it('leads from each page to the one before and the one after it', async () => {
    const [first, second, third] = pages.map(({ path }) => `/docs/${path}`);
    const { page } = await get(second as string);
    const turns = page.all('a').filter(({ attributes }) => attributes['rel']);
    expect(turns.map(({ attributes }) => attributes['href'])).to.deep.equal([first, third]);
  });

  it('finds parts of pages by their words, with beginnings and slips of the pen', async () => {
    const found = async (words: string) => {
      const { page } = await get(`/docs/search?q=${encodeURIComponent(words)}`);
      return linksOf(page).filter((href) => href?.includes('#'));
    };
    expect((await found('exit code 127'))[0]).to.equal('/docs/reference/exit-codes#jobs');
    expect(await found('permis')).to.include('/docs/reference/roles#roles-and-permissions');
    expect(await found('premissions')).to.include('/docs/reference/roles#roles-and-permissions');
    expect(await found('')).to.deep.equal([]);
  });

  it('shows the words of a table that it finds, without the rule below its head', async () => {
    const { text } = await get(`/docs/search?q=${encodeURIComponent('fulfilled_late')}`);
    expect(text).to.include('State Means open').and.not.include('---');
  });

  it('shows the words of a search as text', async () => {
    const { page, text } = await get(`/docs/search?q=${encodeURIComponent('"><script>qqq')}`);
    expect(page.all('script')).to.deep.equal([]);
    expect(text).to.include('Nothing was found');
  });

  it('refuses a search that is too long, and says how long it may be', async () => {
    const { status, text } = await get(`/docs/search?q=${'x'.repeat(201)}`);
    expect([status, JSON.parse(text).detail]).to.deep.equal([
      400,
      'q has 201 characters: at most 200 are searched for.',
    ]);
    expect((await get(`/docs/search?q=${'x'.repeat(200)}`)).status).to.equal(200);
  });

  it('answers 404 for a page that there is not', async () => {
    for (const path of ['/docs/operate/nothing', '/docs/..%2f/README', '/docs/reference/README'])
      expect([path, (await get(path)).status]).to.deep.equal([path, 404]);
  });

  it('links beneath the path of a program that embeds the API', async () => {
    const api = await new EmbeddedApi().start();
    try {
      const text = await (await api.request('/scheduler/docs/reference/settings')).text();
      expect(linksOf(readHtml(text))).to.include.members(['/scheduler/docs', '/scheduler/docs/reference/metrics']);
    } finally {
      await api.stop();
    }
  });
});
