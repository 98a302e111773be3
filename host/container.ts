import { Container, type ContainerModule, type ServiceIdentifier } from 'inversify';

/**
 * Holds the parts of the host. Modules are given in the order in which they depend on each other; closing lets go of
 * them the other way round, and waits for each before the next.
 */
export class Host implements AsyncDisposable {
  readonly #container = new Container({ defaultScope: 'Singleton' });
  readonly #modules: ContainerModule[] = [];

  async add(...modules: readonly ContainerModule[]): Promise<void> {
    for (const module of modules) {
      this.#modules.push(module);
      await this.#container.loadAsync(module);
    }
  }

  get<T>(token: ServiceIdentifier<T>): Promise<T> {
    return this.#container.getAsync(token);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (let module = this.#modules.pop(); module; module = this.#modules.pop())
      await this.#container.unloadAsync(module);
  }
}
