import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Widget } from '@lumino/widgets';

/** The side panel. */
const panel: JupyterFrontEndPlugin<void> = {
  id: 'torchferry:panel',
  description: 'Findings, converted code and graph of the active cell.',
  autoStart: true,
  activate: (app: JupyterFrontEnd) => {
    const widget = new Widget();
    widget.id = 'torchferry-panel';
    widget.title.caption = 'Torchferry';
    widget.title.label = 'Torchferry';
    app.shell.add(widget, 'right', { rank: 650 });
  }
};

export default panel;
