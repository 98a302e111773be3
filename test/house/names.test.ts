import { expect } from 'chai';
import { sourceFiles } from './source-files.ts';

describe('The exported types', () => {
  it('have each a name of their own', () => {
    // A migration has the same name for each database.
    const files = sourceFiles().filter(({ path }) => !path.startsWith('test/') && !path.includes('/migrations/'));
    const exported = files.flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:abstract )?(?:interface|type|class|enum) (\w+)/gm)].map(([, name]) => ({
        // The pages of the console are a program of their own, with names for the same things.
        name: path.startsWith('plugins/console/web/') ? `pages: ${name}` : name,
        path,
      })),
    );
    const repeated = [...Map.groupBy(exported, ({ name }) => name)].filter(([, { length }]) => length > 1);
    expect(repeated.map(([name, places]) => [name, ...places.map(({ path }) => path)])).to.deep.equal([]);
    expect(exported.length).to.be.greaterThan(300);
  });
});
