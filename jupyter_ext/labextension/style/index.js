import './base.css';
import './values.css';
