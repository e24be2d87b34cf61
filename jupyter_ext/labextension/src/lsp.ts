import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IForeignCodeExtractor, ILSPCodeExtractorsManager } from '@jupyterlab/lsp';

const MAGIC = /^%%convert\b/;

/**
 * Shows language servers what stands below `%%convert` as the code that it is: it runs in the
 * notebook's own names. jupyterlab-lsp makes one string of the body of a magic that it does not know.
 */
const body: IForeignCodeExtractor = {
  language: 'python',
  standalone: false,
  fileExtension: 'py',
  cellType: ['code'],
  hasForeignCode: code => MAGIC.test(code),
  // Nothing is taken out of the notebook: its first line becomes a comment, as long as it was.
  extractForeignCode: code => [
    { foreignCode: null, range: null, virtualShift: null, hostCode: `#${code.slice(1)}` }
  ]
};

/** Registers `%%convert` with JupyterLab's language servers, if there are any. */
export const magicBodies: JupyterFrontEndPlugin<void> = {
  id: 'torchferry:magic-bodies',
  description: 'Lets language servers read the code below %%convert.',
  autoStart: true,
  optional: [ILSPCodeExtractorsManager],
  activate: (_: JupyterFrontEnd, extractors: ILSPCodeExtractorsManager | null) => {
    extractors?.register(body, 'python');
  }
};
